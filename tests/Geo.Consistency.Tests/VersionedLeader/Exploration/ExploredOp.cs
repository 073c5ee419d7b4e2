namespace Geo.Consistency.Tests.VersionedLeader.Exploration;

/// <summary>An update of an explored instance: its number, and where it is conditional what it was raised on.</summary>
/// <param name="Sequence">Its number.</param>
/// <param name="Base">The version that was shown; null for an unconditional update.</param>
/// <param name="Expected">The version on top of which alone it may be applied.</param>
/// <param name="Ghost">The very updates that must be below it, which no replica is told.</param>
internal sealed record ExploredOp(long Sequence, VersionBase? Base, long Expected, byte[] Ghost)
{
    internal VersionBase? Base { get; set; } = Base;

    /// <summary>The newest step that its instance knew to be confirmed when it was first sent; null before.</summary>
    internal long? Since { get; set; }

    /// <summary>How often it was sent, and how often it arrived, which no replica is told.</summary>
    internal (int Sent, int Arrived) Times { get; set; }
}
