import CommandSupport
import TidelineCore

extension Warnings {
    /// Warns that a string replaces a value of another type, such as a boolean. Texts and nulls are
    /// replaced without a warning.
    ///
    /// - Parameters:
    ///   - type: The name of the type of the replaced value.
    ///   - subject: The key, property or place.
    static func reportString(replacing type: String, at subject: String) {
        if ["string", "text", "null"].contains(type) { return }
        Output.note("tideline: \(subject): a string replaces a value of the type \(type)")
        let advice: String
        switch type {
        case "list", "map": advice = "--as json"
        case "unsigned": advice = "--as integer"
        case "relationship": advice = "tideline entities relate"
        default:
            // Documents can have types of later format versions, which can't be written.
            guard TypedText.Kind(named: type) != nil else { return }
            advice = "--as \(type)"
        }
        Output.note("  to keep the type: \(advice)")
    }
}
