import Testing

@testable import TidelineCore

@Suite struct ByteCountTests {
    @Test(arguments: [
        (0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (999_949, "999.9 kB"),
        (999_950, "1.0 MB"), (2_269_529, "2.3 MB"), (999_999_999, "1.0 GB"),
        (4_200_000_000, "4.2 GB"), (7_000_000_000_000_000, "7000.0 TB"),
    ])
    func sizesHaveTheLargestUnitThatFits(byteCount: Int, text: String) {
        #expect(ByteCount.text(byteCount) == text)
    }

    @Test func exactTextsAddTheBytesOfRoundedSizes() {
        #expect(ByteCount.exactText(763) == "763 B")
        #expect(ByteCount.exactText(Int64(40_960)) == "41.0 kB (40,960 bytes)")
    }
}
