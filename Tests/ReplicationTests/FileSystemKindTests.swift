@testable import Replication
import Testing

@Suite struct FileSystemKindTests {
    private let table = """
        22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
        35 22 0:51 / /mnt/shared\\040folder rw shared:2 master:1 - nfs4 host:/export rw,vers=4.2
        36 22 0:52 / /mnt/phone rw - fuse.sshfs host:/ rw
        broken line
        37 22 0:53 / /mnt/short rw
        38 22 259:1048577 / /mnt/big rw - xfs /dev/nvme0n1 rw
        """

    @Test(
        arguments: [
            (0x801, "ext4"), (51, "nfs4"), (52, "fuse.sshfs"), (53, nil), (54, nil),
            (0x100010301, "xfs"),
        ] as [(UInt64, String?)])
    func kindIsTakenFromTheMountWithTheDeviceNumber(device: UInt64, kind: String?) {
        #expect(FileSystemKind.kind(of: device, in: table) == kind)
    }

    @Test func sharedFileSystemsRaiseNoEvents() {
        for kind in ["nfs", "nfs4", "cifs", "smb3", "9p", "fuse", "fuse.sshfs", "virtiofs"] {
            #expect(FileSystemKind.isRemote(kind), "\(kind)")
        }
        for kind in ["ext4", "btrfs", "xfs", "tmpfs", "overlay", "zfs", "fuseblk"] {
            #expect(!FileSystemKind.isRemote(kind), "\(kind)")
        }
    }
}
