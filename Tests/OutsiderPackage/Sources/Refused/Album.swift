import AutoModel

// A model that isn't related to other models as the library requires. The compiler must report one
// error, which describes the solution.

@AutoModel final class Track {
    var title = ""
}

@AutoModel final class Album {
    var title = ""
    var tracks: [Track] = []
}
