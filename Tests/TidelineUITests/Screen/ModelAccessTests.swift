import Foundation
import TestSupport
import Testing

/// Panels, overlays, keys and drawing read a `ScreenContext`. They don't know the model.
@Suite struct ModelAccessTests {
    @Test func onlyModelAndUpdateKnowTheModel() throws {
        let folder = Documentation.root.appending(path: "Sources/TidelineUI")
        let paths = FileManager.default.enumerator(atPath: folder.path)
        var found: [String] = []
        var fileCount = 0
        while let path = paths?.nextObject() as? String {
            guard path.hasSuffix(".swift"), !path.hasPrefix("Model/"), !path.hasPrefix("Update/")
            else { continue }
            fileCount += 1
            let text = try String(contentsOf: folder.appending(path: path), encoding: .utf8)
            let code = text.split(separator: "\n").filter {
                !$0.trimmingPrefix(while: \.isWhitespace).hasPrefix("//")
            }
            found += code.filter { $0.contains(#/\bModel\b|\bmodel\./#) }
                .map { "\(path): \($0)" }
        }
        #expect(fileCount > 0)
        #expect(found == [])
    }
}
