//! System calls that no library at hand has a safe form of.
#![allow(unsafe_code)]

use std::collections::VecDeque;
use std::ffi::{CString, c_int, c_ulong};
use std::io::{self, IoSliceMut};
use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::net::UnixStream;
use std::path::Path;

use nix::errno::Errno;
use nix::fcntl::OFlag;
use nix::libc;
use nix::sys::socket::{
    AddressFamily, ControlMessageOwned, MsgFlags, SockFlag, SockType, recvmsg, socket,
};
use nix::unistd::{ForkResult, Pid};

/// Forks this process, which must have one thread: the child may then do whatever the parent could.
/// Gives nothing in the child.
pub fn fork_single_threaded() -> io::Result<Option<Pid>> {
    // SAFETY: the role that calls this starts no thread, so no lock is held by one that is not there.
    match unsafe { nix::unistd::fork() }? {
        ForkResult::Parent { child } => Ok(Some(child)),
        ForkResult::Child => Ok(None),
    }
}

/// mount_setattr(2)'s argument.
#[repr(C)]
struct MountAttributes {
    set: u64,
    clear: u64,
    propagation: u64,
    user_namespace: u64,
}

const READ_ONLY: u64 = 0x1;
const NO_SUID: u64 = 0x2;
const RECURSIVE: c_int = 0x8000;

/// Makes the mount at `path` and all below it read-only, and no program on them privileged.
pub fn close_mounts(path: &Path) -> io::Result<()> {
    mount_setattr(path, RECURSIVE, READ_ONLY | NO_SUID, 0)
}

/// Makes the mount at `path` alone writable again.
pub fn open_mount(path: &Path) -> io::Result<()> {
    mount_setattr(path, 0, 0, READ_ONLY)
}

/// open_tree(2): a mount of its own, that no path leads to.
const CLONE: libc::c_uint = 1;

/// A mount of what is mounted at `path`, and of nothing below it, in no mount namespace: reached by
/// its descriptor alone, and there for as long as that is open.
pub fn detached(path: &Path) -> io::Result<OwnedFd> {
    let name = CString::new(path.as_os_str().as_bytes())?;
    let flags = CLONE | OFlag::O_CLOEXEC.bits().cast_unsigned();
    // SAFETY: the pointer is to a C string.
    let code = unsafe { libc::syscall(libc::SYS_open_tree, libc::AT_FDCWD, name.as_ptr(), flags) };
    let number = RawFd::try_from(Errno::result(code)?).map_err(io::Error::other)?;
    // SAFETY: the kernel has just made it for this process, and nobody else has it.
    Ok(unsafe { OwnedFd::from_raw_fd(number) })
}

fn mount_setattr(path: &Path, flags: c_int, set: u64, clear: u64) -> io::Result<()> {
    let name = CString::new(path.as_os_str().as_bytes())?;
    let attributes = MountAttributes { set, clear, propagation: 0, user_namespace: 0 };
    let size = size_of::<MountAttributes>();
    // SAFETY: the pointers are to a C string and to a structure of the size that is told.
    let code = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            libc::AT_FDCWD,
            name.as_ptr(),
            flags,
            &raw const attributes,
            size,
        )
    };
    Ok(Errno::result(code).map(drop)?)
}

/// Descriptors that are taken with one piece of a message.
const DESCRIPTORS: usize = 8;

/// capset(2)'s arguments, in the version with 64 capabilities.
#[repr(C)]
struct CapabilityHeader {
    version: u32,
    pid: c_int,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct CapabilitySet {
    effective: u32,
    permitted: u32,
    inheritable: u32,
}

const CAPABILITY_VERSION: u32 = 0x2008_0522;

/// Gives up every capability. Allocates nothing.
pub fn drop_capabilities() -> io::Result<()> {
    let header = CapabilityHeader { version: CAPABILITY_VERSION, pid: 0 };
    let none = [CapabilitySet { effective: 0, permitted: 0, inheritable: 0 }; 2];
    // SAFETY: the pointers are to structures of the layout that the version says.
    let code = unsafe { libc::syscall(libc::SYS_capset, &raw const header, none.as_ptr()) };
    Ok(Errno::result(code).map(drop)?)
}

/// Receives what is there, and the descriptors that come with it; without waiting.
pub fn receive_with_descriptors(
    socket: &UnixStream,
    bytes: &mut [u8],
    descriptors: &mut VecDeque<OwnedFd>,
) -> nix::Result<usize> {
    let mut space = nix::cmsg_space!([RawFd; DESCRIPTORS]);
    let mut pieces = [IoSliceMut::new(bytes)];
    let flags = MsgFlags::MSG_DONTWAIT | MsgFlags::MSG_CMSG_CLOEXEC;
    let message = recvmsg::<()>(socket.as_raw_fd(), &mut pieces, Some(&mut space), flags)?;
    for with in message.cmsgs()? {
        if let ControlMessageOwned::ScmRights(numbers) = with {
            for number in numbers {
                // SAFETY: the kernel has just made it for this process, and nobody else has it.
                descriptors.push_back(unsafe { OwnedFd::from_raw_fd(number) });
            }
        }
    }
    Ok(message.bytes)
}

/// Brings the loopback interface of this network namespace up.
pub fn loopback_up() -> io::Result<()> {
    let socket = socket(AddressFamily::Inet, SockType::Datagram, SockFlag::SOCK_CLOEXEC, None)?;
    // SAFETY: all zeros are an ifreq with an empty name.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    for (to, &from) in request.ifr_name.iter_mut().zip(b"lo") {
        *to = from.cast_signed();
    }
    request.ifr_ifru.ifru_flags = (libc::IFF_UP | libc::IFF_RUNNING) as libc::c_short;
    // SAFETY: the request is an ifreq, as this ioctl takes it.
    let code = unsafe {
        libc::ioctl(socket.as_raw_fd(), libc::SIOCSIFFLAGS as c_ulong, &raw const request)
    };
    Ok(Errno::result(code).map(drop)?)
}

/// keyctl(2): a session keyring of this process's own.
const JOIN_SESSION_KEYRING: c_int = 1;

/// Lets go of what this process was left by the one that started it, whether or not it knew: every
/// descriptor but the three standard streams, and the keys of its session.
pub fn let_go_of_the_inherited() -> io::Result<()> {
    const FIRST: libc::c_uint = 3;
    // SAFETY: the role that calls this has opened nothing yet. No pointer but null is given.
    let codes = unsafe {
        [
            libc::syscall(libc::SYS_close_range, FIRST, libc::c_uint::MAX, 0),
            libc::syscall(libc::SYS_keyctl, JOIN_SESSION_KEYRING, std::ptr::null::<u8>()),
        ]
    };
    match Errno::result(codes[0]) {
        Ok(_) => Ok(()),
        // Before Linux 5.9.
        Err(Errno::ENOSYS) => close_each(FIRST.cast_signed()),
        Err(why) => Err(why.into()),
    }
}

fn close_each(first: RawFd) -> io::Result<()> {
    let listed = std::fs::read_dir("/proc/self/fd")?.flatten();
    let numbers: Vec<RawFd> =
        listed.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    for number in numbers.into_iter().filter(|&number| number >= first) {
        // SAFETY: as above; the list itself is closed by now.
        unsafe { libc::close(number) };
    }
    Ok(())
}
