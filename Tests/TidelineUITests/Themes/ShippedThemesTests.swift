import Foundation
import Testing

@testable import TidelineUI

/// The themes that are embedded in the program.
@Suite struct ShippedThemesTests {
    @Test func everyThemeFileIsEmbedded() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let folder = root.appending(path: "Sources/TidelineUI/Themes/Shipped")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(files == ThemeLibrary.shipped.keys.map { "\($0).yaml" }.sorted())
    }

    @Test func everyShippedThemeDefinesEveryRole() throws {
        for (name, yaml) in ThemeLibrary.shipped {
            let file = try ThemeFile(yaml: yaml, source: name)
            #expect(file.name == name)
            #expect(Set(Role.allCases).subtracting(file.roles.keys).isEmpty, "\(name)")
        }
    }
}
