import Foundation

extension String {
    /// Returns the JSON objects of a text with one object per line.
    public func jsonObjects() throws -> [[String: Any]] {
        try split(separator: "\n").map { line in
            let value = try JSONSerialization.jsonObject(with: Data(line.utf8))
            guard let object = value as? [String: Any] else {
                throw EventProgram.Failure(description: "\(line) is not a JSON object")
            }
            return object
        }
    }
}
