"""All names that ever existed in a folder, however briefly, as reported by the system (inotify)."""

import ctypes
import os
import select
import struct
import threading

import processes

CREATED, MOVED_HERE, IS_FOLDER, OVERFLOW = 0x100, 0x80, 0x40000000, 0x4000


class Names:
    """Collects the names of files and folders under `root` until it is stopped."""

    def __init__(self, root):
        self.library = ctypes.CDLL(None, use_errno=True)
        # A user has a limited number of instances, and other programs may be using them at the moment.
        if not processes.wait_until(self.open, 60, pause=1):
            raise OSError(ctypes.get_errno(), "inotify_init1")
        self.folders = {}
        self.found = set()
        self.wake, self.ending = os.pipe()
        self.look_into(root)
        self.thread = threading.Thread(target=self.listen, daemon=True)
        self.thread.start()

    def open(self):
        self.descriptor = self.library.inotify_init1(os.O_CLOEXEC | os.O_NONBLOCK)
        return self.descriptor >= 0

    def look_into(self, folder):
        number = self.library.inotify_add_watch(
            self.descriptor, os.fsencode(folder), CREATED | MOVED_HERE)
        if number < 0:
            return
        self.folders[number] = folder
        try:
            entries = list(os.scandir(folder))
        except OSError:
            return
        for entry in entries:
            self.found.add(entry.path)
            if entry.is_dir(follow_symlinks=False):
                self.look_into(entry.path)

    def listen(self):
        while True:
            ready, _, _ = select.select([self.descriptor, self.wake], [], [])
            if self.wake in ready:
                return
            data = os.read(self.descriptor, 1 << 16)
            at = 0
            while at < len(data):
                number, mask, _, length = struct.unpack_from("iIII", data, at)
                name = data[at + 16:at + 16 + length].split(b"\0")[0]
                at += 16 + length
                if mask & OVERFLOW or number not in self.folders or not name:
                    continue
                path = os.path.join(self.folders[number], os.fsdecode(name))
                self.found.add(path)
                if mask & IS_FOLDER:
                    self.look_into(path)

    def end(self):
        os.write(self.ending, b".")
        self.thread.join()
        for number in [self.descriptor, self.wake, self.ending]:
            os.close(number)
