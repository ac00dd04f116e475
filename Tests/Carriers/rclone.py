"""rclone: `bisync` of a folder with another one that a local WebDAV server provides."""

import os

import carrier
import processes


class Rclone(carrier.Rounds):
    name = "rclone"
    programs = ["rclone"]
    overlooks = True
    carries_times = False
    leaves_copies = True
    # `..path1` for old versions, `.conflict1` for newer ones, `.1a2b3c4d.partial` while it writes.
    names = [r".+\.\.path[12]", r".+\.conflict\d+", r".+\.[A-Za-z0-9]{8}\.partial"]

    server = None

    def begin(self):
        port = processes.free_port()
        self.environment["RCLONE_CONFIG"] = self.home + "/rclone.conf"
        with open(self.home + "/rclone.conf", "w") as file:
            file.write(f"[dav]\ntype = webdav\nurl = http://127.0.0.1:{port}\n"
                       "vendor = owncloud\n")
        self.server = processes.Group(
            ["rclone", "serve", "webdav", self.sides[1], "--addr", f"127.0.0.1:{port}",
             # By default the server notices local writes only after five minutes.
             "--dir-cache-time", "0s"],
            self.environment, self.log)
        if not processes.wait_until(lambda: processes.listens(port), 30):
            raise RuntimeError("the WebDAV server does not answer: " + self.last_words())
        self.knows = False
        self.words = ["rclone", "bisync", self.sides[0], "dav:", "--workdir",
                      self.home + "/bisync", "--force"]

    def round(self):
        if not self.knows:
            return self.recover()
        if self.expect(self.words, allowed=(0, 1, 2)):
            # A file changed during the run. It continues only after a new --resync.
            self.knows = False

    def recover(self):
        """Runs --resync, which prefers the files of the first side whatever their content. So writes must
        pause, and each side first sends the files of its devices."""
        with self.quiet[0], self.quiet[1]:
            for source, target, devices in [(self.sides[0], "dav:", self.owned[0]),
                                            ("dav:", self.sides[0], self.owned[1])]:
                mine = [f"--include=/{folder}/{device}/**"
                        for folder in ["Devices", "Blobs"] for device in devices]
                self.expect(["rclone", "sync", source, target, "--ignore-times", *mine])
            self.expect(self.words + ["--resync"])
        self.knows = True

    def disconnect(self):
        super().disconnect()
        if not self.knows:
            self.recover()

    def end(self):
        carrier.Rounds.disconnect(self)
        if self.server:
            self.server.end()
