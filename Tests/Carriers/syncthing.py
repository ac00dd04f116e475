"""Two instances of Syncthing that know only each other's address on 127.0.0.1."""

import os
import subprocess
from xml.sax.saxutils import quoteattr

import carrier
import processes


class Syncthing(carrier.Carrier):
    name = "syncthing"
    programs = ["syncthing"]
    leaves_copies = True
    names = [r"\.syncthing\..+\.tmp", r".+\.sync-conflict-\d{8}-\d{6}-[A-Z2-7]{7}(\..+)?",
             r"\.stfolder", r"\.stversions", r".+~\d{8}-\d{6}(\..+)?", r"syncthing-folder-.+"]

    groups = ()

    def begin(self):
        self.homes = [f"{self.home}/{number}" for number in range(2)]
        self.ports = [processes.free_port() for _ in range(2)]
        for home in self.homes:
            status = processes.run(
                ["syncthing", "generate", "--home", home, "--no-default-folder"],
                self.environment, self.log)
            if status:
                raise RuntimeError("syncthing generate: " + self.last_words())
        self.identities = [
            subprocess.run(["syncthing", "--home", home, "--device-id"], env=self.environment,
                           capture_output=True, check=True, text=True).stdout.strip()
            for home in self.homes]
        for number in range(2):
            with open(f"{self.homes[number]}/config.xml", "w") as file:
                file.write(self.configuration(number))

    def configuration(self, number):
        devices = "".join(
            f'<device id="{identity}" name="{name}" compression="metadata" introducer="false">'
            f"<address>tcp://127.0.0.1:{port}</address></device>"
            for name, identity, port in zip("AB", self.identities, self.ports))
        members = "".join(f'<device id="{identity}"></device>' for identity in self.identities)
        return f"""<configuration version="35">
            <folder id="store" label="store" path={quoteattr(self.sides[number])}
                type="sendreceive" rescanIntervalS="10" fsWatcherEnabled="true"
                fsWatcherDelayS="1" ignorePerms="true" autoNormalize="true">
                {members}
                <minDiskFree unit="%">0</minDiskFree>
                <versioning type="simple"><param key="keep" val="3"></param></versioning>
                <maxConflicts>10</maxConflicts>
            </folder>
            {devices}
            <gui enabled="false"></gui>
            <options>
                <listenAddress>tcp://127.0.0.1:{self.ports[number]}</listenAddress>
                <globalAnnounceEnabled>false</globalAnnounceEnabled>
                <localAnnounceEnabled>false</localAnnounceEnabled>
                <relaysEnabled>false</relaysEnabled>
                <natEnabled>false</natEnabled>
                <reconnectionIntervalS>1</reconnectionIntervalS>
                <startBrowser>false</startBrowser>
                <urAccepted>-1</urAccepted>
                <autoUpgradeIntervalH>0</autoUpgradeIntervalH>
                <crashReportingEnabled>false</crashReportingEnabled>
                <stunKeepaliveStartS>0</stunKeepaliveStartS>
                <minHomeDiskFree unit="%">0</minHomeDiskFree>
            </options>
        </configuration>"""

    def connect(self):
        if self.groups:
            return
        self.groups = [
            processes.Group(["syncthing", "serve", "--home", home, "--no-restart", "--no-browser",
                             "--no-upgrade", "--skip-port-probing", "--no-default-folder"],
                            self.environment, self.log)
            for home in self.homes]

    def disconnect(self):
        """Stops both instances, like machines that are switched off."""
        for group in self.groups:
            if not group.runs:
                self.faults.append("syncthing ended by itself: " + self.last_words())
            group.end()
        self.groups = ()
