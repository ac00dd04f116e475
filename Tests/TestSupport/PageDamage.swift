public import Foundation

/// A kind of damage to one page of a database file.
public enum PageDamage: String, CaseIterable, Sendable {
    case zeroed, overwritten
    /// A torn write: the second half has other content.
    case torn
    /// The file ends at the start of the page.
    case cut

    /// Returns a copy of `file` with page `number` (from 0) damaged.
    public func applied(
        to file: Data, page number: Int, of size: Int, using random: inout SeededRandom
    ) -> Data {
        let start = number * size
        let end = min(start + size, file.count)
        switch self {
        case .cut: return Data(file.prefix(start))
        case .zeroed:
            return file.prefix(start) + Data(count: end - start) + file.suffix(from: end)
        case .torn:
            let middle = start + (end - start) / 2
            let bytes = (middle..<end).map { _ in UInt8.random(in: 0...255, using: &random) }
            return file.prefix(middle) + Data(bytes) + file.suffix(from: end)
        case .overwritten:
            let bytes = (start..<end).map { _ in UInt8.random(in: 0...255, using: &random) }
            return file.prefix(start) + Data(bytes) + file.suffix(from: end)
        }
    }

    /// Returns the pages to damage in a file of `count` pages: all of them, or `quick` pages at
    /// equal distances, including the first and the last. `TIDELINE_RUNS` overrides `quick`.
    public static func pages(of count: Int, quick: Int) -> [Int] {
        let wanted = max(2, runCount(quick))
        guard count > wanted else { return Array(0..<count) }
        return (0..<wanted).map { $0 * (count - 1) / (wanted - 1) }
    }
}
