/* A process whose counters tests/coverage.rs reads: answers each line, and knows a magic word. */
#include <stdio.h>
#include <string.h>

#define PLAIN __attribute__((no_sanitize("coverage")))

/* Called before main with the counters, which nobody here wants: they are read from outside. */
PLAIN void __sanitizer_cov_8bit_counters_init(char *start, char *end) { (void)start; (void)end; }
PLAIN void __sanitizer_cov_pcs_init(const void *start, const void *end) { (void)start; (void)end; }

static const char *answer(const char *word)
{
	if (word[0] == '9')
		if (word[1] == 'p')
			if (word[2] == 'f')
				if (word[3] == 's')
					return "found";
	return "no";
}

int main(void)
{
	char line[64];
	while (fgets(line, sizeof line, stdin)) {
		puts(strlen(line) < 5 ? "short" : answer(line));
		fflush(stdout);
	}
	return 0;
}
