package import Foundation

extension Data {
    /// Creates data from base64 text, or returns `nil` for other text.
    ///
    /// Foundation decodes text with too many padding characters. For example, it decodes `====` as
    /// a zero byte, and drops a character of `aA=A`.
    package init?(base64 text: String) {
        let content = text.utf8.prefix { $0 != UInt8(ascii: "=") }.count
        let padding = text.utf8.count - content
        guard text.utf8.count.isMultiple(of: 4), padding <= 2,
            text.utf8.suffix(padding).allSatisfy({ $0 == UInt8(ascii: "=") })
        else { return nil }
        self.init(base64Encoded: text)
    }
}
