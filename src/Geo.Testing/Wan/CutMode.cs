namespace Geo.Testing.Wan;

/// <summary>How a cut link behaves.</summary>
public enum CutMode
{
    /// <summary>Connections are reset and new ones refused: both ends know at once.</summary>
    Drop,

    /// <summary>
    /// Nothing arrives any more and nobody is told: connections stay, new ones are taken and hang. What was sent arrives after healing,
    /// as TCP would have sent it again.
    /// </summary>
    BlackHole,
}
