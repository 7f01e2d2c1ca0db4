//! System calls of attempts that no library at hand has a safe form of.
#![allow(unsafe_code)]

use std::ffi::{CString, c_int, c_long};
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd as _, FromRawFd as _, RawFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use nix::errno::Errno;
use nix::libc;
use nix::unistd::ForkResult;

/// The longest handle there is (linux/fcntl.h), in bytes.
const HANDLE_BYTES: usize = 128;

/// open_by_handle_at(2)'s argument.
#[repr(C)]
struct Handle {
    bytes: u32,
    kind: c_int,
    handle: [u8; HANDLE_BYTES],
}

/// What `file` can be opened by without its path: `KIND:HEXADECIMAL`.
pub fn file_handle(file: &Path) -> io::Result<String> {
    let name = CString::new(file.as_os_str().as_bytes())?;
    let mut handle = Handle { bytes: HANDLE_BYTES as u32, kind: 0, handle: [0; HANDLE_BYTES] };
    let mut mount: c_int = 0;
    // SAFETY: the pointers are to a C string, to a handle with the room that it tells, and to an int.
    let code = unsafe {
        libc::syscall(
            libc::SYS_name_to_handle_at,
            libc::AT_FDCWD,
            name.as_ptr(),
            &raw mut handle,
            &raw mut mount,
            0,
        )
    };
    Errno::result(code)?;
    let bytes: String = handle
        .handle
        .iter()
        .take(handle.bytes as usize)
        .map(|byte| format!("{byte:02x}"))
        .collect();
    Ok(format!("{}:{bytes}", handle.kind))
}

/// Opens the file of that handle, on the file system that `mount` is on.
pub fn open_by_handle(mount: &File, told: &str) -> io::Result<File> {
    let (kind, text) = told.split_once(':').ok_or_else(|| io::Error::other("no handle"))?;
    let mut handle = Handle { bytes: 0, kind: 0, handle: [0; HANDLE_BYTES] };
    handle.kind = kind.parse().map_err(io::Error::other)?;
    for (to, from) in handle.handle.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
        let digits = std::str::from_utf8(from).map_err(io::Error::other)?;
        *to = u8::from_str_radix(digits, 16).map_err(io::Error::other)?;
        handle.bytes += 1;
    }
    let (fd, flags) = (mount.as_raw_fd(), libc::O_RDONLY | libc::O_CLOEXEC);
    // SAFETY: the pointer is to a handle of the length that it tells.
    let code = unsafe { libc::syscall(libc::SYS_open_by_handle_at, fd, &raw const handle, flags) };
    let number = RawFd::try_from(Errno::result(code)?).map_err(io::Error::other)?;
    // SAFETY: the kernel has just made it for this process, and nobody else has it.
    Ok(unsafe { File::from_raw_fd(number) })
}

/// Types a character on the terminal that `terminal` is.
pub fn type_on(terminal: &File, character: u8) -> nix::Result<()> {
    // SAFETY: the pointer is to a byte, as this ioctl takes it.
    let code = unsafe { libc::ioctl(terminal.as_raw_fd(), libc::TIOCSTI, &raw const character) };
    Errno::result(code).map(drop)
}

/// Writes to what is open by that number, whoever opened it.
pub fn write_by_number(number: RawFd, bytes: &[u8]) -> nix::Result<()> {
    // SAFETY: the pointer is to as many bytes as is told.
    let code = unsafe { libc::write(number, bytes.as_ptr().cast(), bytes.len()) };
    Errno::result(code).map(drop)
}

/// A process that does nothing, for ever.
pub fn fork_idle() -> nix::Result<()> {
    // SAFETY: the role that calls this starts no thread, so no lock is held by one that is not there.
    if let ForkResult::Child = unsafe { nix::unistd::fork() }? {
        loop {
            nix::unistd::pause();
        }
    }
    Ok(())
}

/// The session's keyring, and the user's (linux/keyctl.h).
const KEYRINGS: [c_long; 2] = [-3, -4];
const SEARCH: c_long = 10;
const UNLINK: c_long = 9;

/// Adds a key of that name to the keyrings that this process has.
pub fn add_key(name: &str) -> io::Result<()> {
    let name = CString::new(name)?;
    let mut last = Ok(());
    for keyring in KEYRINGS {
        // SAFETY: the pointers are to C strings, and to as many bytes as is told.
        let code = unsafe {
            let (kind, payload) = (c"user".as_ptr(), name.as_ptr());
            libc::syscall(libc::SYS_add_key, kind, name.as_ptr(), payload, 1usize, keyring)
        };
        last = Errno::result(code).map(drop);
    }
    Ok(last?)
}

/// The keyring that has a key of that name, and the key's number. Whether there are keyrings at all
/// is in the error.
pub fn find_key(name: &str) -> nix::Result<Option<(c_long, c_long)>> {
    let name = CString::new(name).map_err(|_| Errno::EINVAL)?;
    for keyring in KEYRINGS {
        // SAFETY: the pointers are to C strings.
        let code = unsafe {
            let kind = c"user".as_ptr();
            libc::syscall(libc::SYS_keyctl, SEARCH, keyring, kind, name.as_ptr(), 0)
        };
        match Errno::result(code) {
            Ok(number) => return Ok(Some((keyring, number))),
            Err(Errno::ENOSYS) => return Err(Errno::ENOSYS),
            Err(_) => {}
        }
    }
    Ok(None)
}

/// Takes the key of that name out of this process's keyrings.
pub fn forget_key(name: &str) {
    while let Ok(Some((keyring, number))) = find_key(name) {
        // SAFETY: no pointer is given.
        let code = unsafe { libc::syscall(libc::SYS_keyctl, UNLINK, number, keyring) };
        if code < 0 {
            return;
        }
    }
}
