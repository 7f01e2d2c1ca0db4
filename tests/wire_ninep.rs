//! Our client against a server that others wrote: the `ninep` crate's. What we understand of 9P by
//! ourselves is worth little; this is another's reading of it.

use std::collections::{BTreeMap, BTreeSet};
use std::os::fd::OwnedFd;
use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::Mutex;
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::Duration;

use bytes::Bytes;
use monkey9p::input::{Family, Generator, Renderer, Weights};
use monkey9p::invariants::ALL;
use monkey9p::ops::{Op, WireStep};
use monkey9p::session::{Exchange, Outcome, run_script};
use monkey9p::wire::limits::MSIZE_BYTES;
use monkey9p::wire::msg::{OREAD, OWRITE, QTDIR, Rmsg, Tmsg};
use monkey9p::wire::{Conn, Held, ROOT_FID, drive, split, stat};
use ninep::Result;

use ninep::fs::{FileTree, FileType, IoUnit, Mode, Perm, Qid, Stat, WStat};
use ninep::sync::server::{ClientId, ReadOutcome, Serve9p, Server};

/// Files in memory, and one whose reads are held for ever.
struct Files {
    tree: FileTree<Vec<u8>>,
    held: Mutex<Vec<Sender<Vec<u8>>>>,
}

const HELD: &str = "held";
/// Held too; by its name, a script knows that it may be.
const LOG: &str = "log";

impl Files {
    fn new() -> Files {
        let any = Perm::any_read() | Perm::any_write() | Perm::any_exec();
        let tree = FileTree::new("glenda", "glenda", any, Vec::new());
        let add = |parent, name: &str, kind, data: &[u8]| {
            tree.try_add_node(parent, name, any, kind, data.to_vec()).unwrap().path
        };
        add(0, "plain", FileType::FILE, b"some text\n");
        add(0, "empty", FileType::FILE, b"");
        add(0, HELD, FileType::FILE, b"");
        add(0, LOG, FileType::FILE, b"");
        add(0, "long", FileType::FILE, &[b'x'; 300_000]);
        let folder = add(0, "folder", FileType::DIRECTORY, b"");
        for number in 0..100 {
            add(folder, &format!("file-{number}"), FileType::FILE, b"x");
        }
        let deep = (0..30).fold(0, |parent, _| add(parent, "deep", FileType::DIRECTORY, b""));
        add(deep, "end", FileType::FILE, b"far down");
        Files { tree, held: Mutex::new(Vec::new()) }
    }
}

impl Serve9p for Files {
    fn walk_one(&self, parent: u64, child: &str, _: ClientId) -> Result<Qid> {
        self.tree.walk_one(parent, child)
    }

    fn open(&self, _: u64, _: Mode, _: ClientId) -> Result<IoUnit> {
        Ok(0)
    }

    fn create(
        &self,
        parent: u64,
        name: &str,
        perm: Perm,
        _: Mode,
        _: ClientId,
    ) -> Result<(Qid, IoUnit)> {
        Ok((self.tree.try_add_node(parent, name, perm, FileType::FILE, Vec::new())?, 0))
    }

    fn read(&self, qid: u64, offset: usize, count: usize, _: ClientId) -> Result<ReadOutcome> {
        if [HELD, LOG].contains(&self.tree.stat(qid)?.name.as_str()) {
            let (sender, receiver) = channel();
            self.held.lock().unwrap().push(sender);
            return Ok(ReadOutcome::Blocked(receiver));
        }
        self.tree.with_file(qid, |file| {
            let rest = file.aux.get(offset..).unwrap_or_default();
            ReadOutcome::Immediate(rest[..rest.len().min(count)].to_vec())
        })
    }

    /// A blocked read keeps its Rflush waiting until it is woken: what it is woken with is then an
    /// answer that came before the Rflush.
    fn flush(&self, _: u16, _: ClientId) {
        for sender in self.held.lock().unwrap().drain(..) {
            let _ = sender.send(b"woken".to_vec());
        }
    }

    fn read_dir(&self, qid: u64, _: ClientId) -> Result<Vec<Stat>> {
        self.tree.read_dir(qid)
    }

    fn write(&self, qid: u64, offset: usize, data: Vec<u8>, _: ClientId) -> Result<usize> {
        let end = offset.saturating_add(data.len());
        if end > FILE_BYTES {
            return Err("file would be too large".into());
        }
        self.tree.with_file_mut(qid, |file| {
            file.aux.resize(file.aux.len().max(end), 0);
            file.aux[offset..end].copy_from_slice(&data);
            data.len()
        })
    }

    fn remove(&self, qid: u64, _: ClientId) -> Result<()> {
        self.tree.remove(qid);
        Ok(())
    }

    fn stat(&self, qid: u64, _: ClientId) -> Result<Stat> {
        self.tree.stat(qid)
    }

    fn write_stat(&self, _: u64, _: WStat, _: ClientId) -> Result<()> {
        Err("no".into())
    }
}

/// What a file may grow to: a script may write wherever it likes, and a server that first fills
/// gigabytes answers late.
const FILE_BYTES: usize = 1 << 20;

/// Runs `exchange` on a connection to the server, hands shaken.
fn served<T>(exchange: impl AsyncFnOnce(&Conn) -> T) -> T {
    let (ours, theirs) = UnixStream::pair().unwrap();
    let server =
        thread::spawn(move || Server::new(Files::new()).handle_single_client_stream(theirs));
    let conn = Conn::new(OwnedFd::from(ours), MSIZE_BYTES).unwrap();
    let done = drive(std::slice::from_ref(&conn), LIMIT, async {
        conn.handshake().await.unwrap();
        exchange(&conn).await
    });
    drop(conn);
    server.join().unwrap();
    done.unwrap()
}

const LIMIT: Duration = Duration::from_secs(60);

#[test]
fn files_are_read_and_written() {
    served(async |conn| {
        let read = async |path: &[u8]| conn.read_path(path).await.unwrap();
        assert!(conn.msize() <= MSIZE_BYTES);
        assert_eq!(read(b"/plain").await.unwrap(), "some text\n");
        assert_eq!(read(b"/empty").await.unwrap(), "");
        assert_eq!(read(b"/long").await.unwrap().len(), 300_000);
        assert_eq!(read("/deep".repeat(30).as_bytes()).await.map(drop), Ok(()));
        assert_eq!(
            read(format!("{}/end", "/deep".repeat(30)).as_bytes()).await.unwrap(),
            "far down"
        );
        for gone in ["/gone", "/plain/below", "/deep/deep/gone"] {
            assert!(read(gone.as_bytes()).await.is_err(), "{gone}");
        }
        conn.write_path(b"/plain", b"changed\n").await.unwrap().unwrap();
        assert_eq!(read(b"/plain").await.unwrap(), "changed\nt\n");
    });
}

#[test]
fn listings_are_whole_entries_in_any_pieces() {
    served(async |conn| {
        let names = |listing: Bytes| -> Vec<Bytes> {
            stat::entries(listing).unwrap().into_iter().map(|entry| entry.name).collect()
        };
        let whole = names(conn.read_path(b"/folder").await.unwrap().unwrap());
        assert_eq!(whole.len(), 100);
        let fid = conn.walk(&split(b"/folder")).await.unwrap().unwrap();
        conn.open(fid, OREAD, LIMIT).await.unwrap().unwrap();
        for count in [128, 200, 1000] {
            let pieces = conn.read_all(fid, count).await.unwrap().unwrap();
            assert_eq!(names(pieces), whole, "{count}");
        }
        let root = stat::entries(conn.read_path(b"/").await.unwrap().unwrap()).unwrap();
        let kinds: BTreeMap<_, _> =
            root.iter().map(|entry| (entry.name.clone(), entry.qid.kind & QTDIR != 0)).collect();
        assert!(kinds[&b"folder"[..]] && !kinds[&b"plain"[..]]);
    });
}

#[test]
fn every_message_has_its_reply() {
    served(async |conn| {
        let call = async |message: Tmsg| conn.call(&message, LIMIT).await.unwrap();
        let Ok(Rmsg::Stat { stat }) = call(Tmsg::Stat { fid: ROOT_FID }).await else { panic!() };
        assert!(stat::entries(stat).unwrap()[0].qid.kind & QTDIR != 0);
        let walk = Tmsg::Walk { fid: ROOT_FID, newfid: 7, names: vec![] };
        assert_eq!(call(walk).await, Ok(Rmsg::Walk { qids: vec![] }));
        let name = Bytes::from_static(b"made");
        let create = Tmsg::Create { fid: 7, name, perm: 0o666, mode: OWRITE };
        assert!(matches!(call(create).await, Ok(Rmsg::Create { .. })));
        let write = Tmsg::Write { fid: 7, offset: 0, data: Bytes::from_static(b"abc") };
        assert_eq!(call(write).await, Ok(Rmsg::Write { count: 3 }));
        assert_eq!(call(Tmsg::Remove { fid: 7 }).await, Ok(Rmsg::Remove));
        assert!(call(Tmsg::Clunk { fid: 7 }).await.is_err(), "a remove clunks");
        assert!(conn.read_path(b"/made").await.unwrap().is_err());
    });
}

#[test]
fn a_held_read_is_flushed_and_the_connection_goes_on() {
    served(async |conn| {
        let fid = conn.walk(&split(b"/held")).await.unwrap().unwrap();
        conn.open(fid, OREAD, LIMIT).await.unwrap().unwrap();
        let read = Tmsg::Read { fid, offset: 0, count: 10 };
        for _ in 0..3 {
            let woken = Ok(Rmsg::Read { data: Bytes::from_static(b"woken") });
            let held = conn.call_held(&read).await.unwrap();
            assert!(held == Held::Flushed || held == Held::Answered(woken), "{held:?}");
        }
        assert!(conn.read_path(b"/plain").await.unwrap().is_ok());
    });
}

#[test]
fn requests_in_flight_together_are_all_answered() {
    served(async |conn| {
        let stats: Vec<_> =
            (0..50).map(|_| conn.submit(&Tmsg::Stat { fid: ROOT_FID }, LIMIT).unwrap()).collect();
        for stat in stats {
            assert!(matches!(stat.await.unwrap(), Ok(Rmsg::Stat { .. })));
        }
    });
}

/// What the rules of the protocol say of a server whose authors did not know them. It does break
/// these three; anything else that they found would be a fault of theirs.
#[test]
fn the_rules_find_its_three_deviations_and_nothing_else() {
    let off = Family::ALL.iter().filter(|&&family| family != Family::Wire);
    let weights = off.fold(Weights::default(), |weights, &family| weights.with(family, 0));
    let mut generator = Generator::with_weights(1, weights);
    let mut renderer = Renderer::default();
    let mut broken = BTreeSet::new();
    for _ in 0..150 {
        let Op::Wire { steps } = renderer.step(&generator.next_step()) else { panic!() };
        let exchange = scripted(&steps.into_iter().map(for_its_tree).collect::<Vec<_>>());
        let outcome = Outcome { wire: vec![exchange], ..Outcome::default() };
        for rule in ALL.iter().filter(|rule| rule.name.starts_with("wire_")) {
            if let Some(breach) = (rule.check)(&outcome) {
                broken.insert((rule.name, breach.why));
            }
        }
    }
    let known = [
        ("wire_counts", "Rerror is longer than the msize that was agreed on"),
        ("wire_open", "a fid that is open was opened again"),
        ("wire_tags", "Tstat with the tag of a request that waits was done"),
    ];
    let known: BTreeSet<_> = known.map(|(rule, why)| (rule, why.to_owned())).into();
    assert_eq!(broken, known);
}

fn scripted(steps: &[WireStep]) -> Exchange {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s");
    let listener = UnixListener::bind(&path).unwrap();
    let server = thread::spawn(move || {
        let (stream, _) = listener.accept().unwrap();
        Server::new(Files::new()).handle_single_client_stream(stream);
    });
    let exchange = run_script(&path, steps).unwrap();
    server.join().unwrap();
    exchange
}

/// The same walk to a file of this tree: one that holds its reads, a long one, a plain one.
fn for_its_tree(mut step: WireStep) -> WireStep {
    if let WireStep::Send { message: Tmsg::Walk { names, .. }, .. } = &mut step {
        let to = match names.last().map(|name| name.as_ref()) {
            Some(b"event") => LOG,
            Some(b"README") => "long",
            Some(b"body") if names.len() == 3 => "plain",
            _ => return step,
        };
        *names = vec![Bytes::from_static(to.as_bytes())];
    }
    step
}
