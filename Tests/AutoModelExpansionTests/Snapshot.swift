import Foundation
import SwiftDiagnostics
import SwiftParser
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros
import Testing

@testable import AutoModelExpansion

private struct AutoModelMacro: DeclarationExpansion {}
private struct StoredPropertyMacro: StoredPropertyExpansion {}
private struct ExcludedPropertyMacro: ExcludedPropertyExpansion {}
private struct RelationPropertyMacro: RelationPropertyExpansion {}
private struct MarkerMacro: MarkerExpansion {}

/// The expansion and the diagnostics of a source.
enum Snapshot {
    private static let macros: [String: MacroSpec] = [
        "AutoModel": MacroSpec(type: AutoModelMacro.self, conformances: ["AutoRecord"]),
        "_AutoColumn": MacroSpec(type: StoredPropertyMacro.self),
        "_AutoExcluded": MacroSpec(type: ExcludedPropertyMacro.self),
        "_AutoRelation": MacroSpec(type: RelationPropertyMacro.self),
        "Column": MacroSpec(type: MarkerMacro.self),
        "Excluded": MacroSpec(type: MarkerMacro.self),
    ]

    /// Expects the expansion to match a file in `Snapshots`.
    ///
    /// A missing file is recorded and fails the test. Check it and run the test again.
    static func expect(
        _ name: String, of source: String, sourceLocation: Testing.SourceLocation = #_sourceLocation
    ) throws {
        let (code, messages) = expand(source)
        let text = (messages.map { "// \($0)" } + [code]).joined(separator: "\n") + "\n"
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "Snapshots/\(name).txt")
        guard let known = try? String(contentsOf: file, encoding: .utf8) else {
            try text.write(to: file, atomically: true, encoding: .utf8)
            Issue.record("recorded \(file.lastPathComponent)", sourceLocation: sourceLocation)
            return
        }
        #expect(text == known, sourceLocation: sourceLocation)
    }

    /// The diagnostics with their fix-its.
    static func messages(of source: String) -> [String] { expand(source).messages }

    private static func expand(_ source: String) -> (code: String, messages: [String]) {
        let file = Parser.parse(source: source)
        let context = BasicMacroExpansionContext(
            sourceFiles: [file: .init(moduleName: "Test", fullFilePath: "Test.swift")])
        let expanded = file.expand(
            macroSpecs: macros,
            contextGenerator: {
                BasicMacroExpansionContext(
                    sharingWith: context, lexicalContext: $0.allMacroLexicalContexts())
            },
            indentationWidth: .spaces(4))
        let messages = context.diagnostics.map { diagnostic in
            ([diagnostic.message] + diagnostic.fixIts.map { "fix: \($0.message.message)" })
                .joined(separator: "; ")
        }
        return (expanded.description, messages)
    }
}
