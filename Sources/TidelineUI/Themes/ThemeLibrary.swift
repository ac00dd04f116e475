import Foundation
import Replication
import TidelineCore

/// The available themes: the user's own and the built-in ones.
public struct ThemeLibrary: Sendable {
    /// The folder of the user's themes: `tideline/themes` in `$XDG_CONFIG_HOME` or `~/.config`.
    public let folder: String

    /// Creates a library.
    ///
    /// - Parameter environment: The environment variables; `XDG_CONFIG_HOME` and `HOME` locate the
    ///   user's themes.
    public init(environment: [String: String]) {
        folder = ConfigurationFile.folder(environment) + "/themes"
    }

    /// The names of all themes, sorted.
    public var names: [String] {
        var names = Set(Self.shipped.keys)
        if let files = try? FileManager.default.contentsOfDirectory(atPath: folder) {
            for file in files where file.hasSuffix(".yaml") {
                names.insert(String(file.dropLast(5)))
            }
        }
        return names.sorted()
    }

    /// Returns a theme by name. The user's themes take precedence over built-in ones. A name that
    /// contains a slash is a path. `light` and `dark` are the default themes.
    ///
    /// - Parameter name: The name, or the path of a file.
    /// - Throws: ``ThemeError`` if the theme doesn't exist or is invalid.
    public func file(named name: String) throws -> ThemeFile {
        if name.contains("/") { return try read(name) }
        if !name.isEmpty, !name.hasPrefix("."), !name.utf8.contains(0) {
            let path = "\(folder)/\(name).yaml"
            if FileManager.default.fileExists(atPath: path) { return try read(path) }
        }
        let appearance = Self.shipped[name] == nil ? ThemeFile.Appearance(rawValue: name) : nil
        return try shippedFile(named: appearance.map(Self.standard) ?? name)
    }

    /// Returns a theme resolved for a terminal, including its base.
    ///
    /// - Parameters:
    ///   - name: The name, or the path of a file.
    ///   - depth: The number of colors of the terminal.
    ///   - isASCII: Whether frames and symbols are ASCII.
    /// - Throws: ``ThemeError`` if the theme or its base doesn't exist or is invalid.
    public func theme(
        named name: String, depth: ColorDepth, isASCII: Bool = false
    ) throws -> Theme {
        let file = try file(named: name)
        var base: ThemeFile?
        if let named = file.base {
            base = try self.file(named: named)
        } else if Self.shipped[file.name] == nil || name.contains("/") {
            base = try shippedFile(named: Self.standard(for: file.appearance))
        }
        return file.resolved(depth: depth, isASCII: isASCII, base: base)
    }

    /// Returns the name of the default theme.
    public static func standard(for appearance: ThemeFile.Appearance) -> String {
        appearance == .dark ? "tide-dark" : "tide-light"
    }

    private func shippedFile(named name: String) throws -> ThemeFile {
        guard let yaml = Self.shipped[name] else {
            throw ThemeError(
                .notFound,
                Sanitizer.visible(
                    "there is no theme “\(name)”; choose one of \(names.joined(separator: ", "))"))
        }
        return try ThemeFile(yaml: yaml, source: "\(name).yaml")
    }

    private func read(_ path: String) throws -> ThemeFile {
        let data: Data
        do {
            data = try WholeFile.read(path, limit: 1 << 20)
        } catch {
            throw ThemeError(
                .unreadable, Sanitizer.visible("can't read the theme \(path): \(error)"))
        }
        guard let yaml = String(data: data, encoding: .utf8) else {
            throw ThemeError(
                .unreadable, Sanitizer.visible("the theme \(path) is not UTF-8 text"))
        }
        return try ThemeFile(yaml: yaml, source: path)
    }
}

extension ThemeLibrary {
    /// The themes that come with the program, by name. Their files are embedded in the program,
    /// which therefore needs no other files.
    static let shipped: [String: String] = [
        "deuteranopia": PackageResources.deuteranopia_yaml,
        "dracula": PackageResources.dracula_yaml,
        "gruvbox": PackageResources.gruvbox_yaml,
        "high-contrast": PackageResources.high_contrast_yaml,
        "tide-dark": PackageResources.tide_dark_yaml,
        "tide-light": PackageResources.tide_light_yaml,
    ].mapValues { String(decoding: $0, as: UTF8.self) }
}
