import Foundation
import TestSupport

@testable import TidelineUI

extension Configuration {
    /// Reads settings from a text, as from the user's file.
    static func reading(_ yaml: String, in folder: TemporaryFolder) throws -> Configuration {
        let path = folder.appending("tideline")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try yaml.write(toFile: path + "/config.yaml", atomically: true, encoding: .utf8)
        return ConfigurationFile(environment: ["XDG_CONFIG_HOME": folder.path]).configuration()
    }
}
