extension DecodingError {
    /// The place and the reason, as a clause.
    package var explanation: String {
        switch self {
        case .typeMismatch(_, let context), .valueNotFound(_, let context),
            .keyNotFound(_, let context), .dataCorrupted(let context):
            CodingPlace.explain(context.codingPath, context.debugDescription)
        @unknown default: "\(self)"
        }
    }
}

extension EncodingError {
    /// The place and the reason, as a clause.
    package var explanation: String {
        switch self {
        case .invalidValue(_, let context):
            CodingPlace.explain(context.codingPath, context.debugDescription)
        @unknown default: "\(self)"
        }
    }
}

private enum CodingPlace {
    static func explain(_ path: [any CodingKey], _ reason: String) -> String {
        let reason = reason.hasSuffix(".") ? String(reason.dropLast()) : reason
        var place = ""
        for key in path {
            if let index = key.intValue, key is TreeKey {
                place += "[\(index)]"
            } else {
                place += place.isEmpty ? key.stringValue : ".\(key.stringValue)"
            }
        }
        return place.isEmpty ? reason : "\(place): \(reason)"
    }
}
