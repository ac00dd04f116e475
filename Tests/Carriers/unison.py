"""Unison, run repeatedly: the newer of two versions wins, and the other is kept."""

import os

import carrier


class Unison(carrier.Rounds):
    name = "unison"
    programs = ["unison"]
    # It sets times as floating-point seconds, which can be a microsecond lower.
    carries_times = False
    # The second pattern is for versions, which appear briefly in a folder that is being deleted.
    names = [r"\.unison\..+\.unison\.tmp", r"\.bak\.\d+\..+"]

    def begin(self):
        self.environment["UNISON"] = self.home + "/unison"
        os.makedirs(self.environment["UNISON"], exist_ok=True)

    def round(self):
        # 1: a file was skipped, for example because it changed during the run; 2: a file failed.
        self.expect(
            ["unison", *self.sides, "-batch", "-ui", "text", "-auto", "-times", "-perms", "0",
             # Without it, a file written twice in one second counts as unchanged.
             "-fastcheck", "false",
             "-prefer", "newer", "-confirmbigdel=false", "-log=false", "-silent",
             "-backuploc", "central", "-backupdir", self.home + "/versions",
             "-backup", "Name *"], allowed=(0, 1, 2))

    def kept(self):
        return [self.home + "/versions"]
