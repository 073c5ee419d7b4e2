namespace Geo.Consistency.Tests.VersionedLeader.Exploration;

/// <summary>An update of an explored instance.</summary>
/// <param name="Sequence">Its number.</param>
/// <param name="Group">What it was raised on; null for an unconditional update.</param>
/// <param name="Ghost">The very updates that must be below a conditional one, which no replica is told.</param>
internal sealed record ExploredOp(long Sequence, UpdateGroup? Group, byte[] Ghost)
{
    /// <summary>The newest step that its instance knew to be confirmed when it was first sent; null before.</summary>
    internal long? Since { get; set; }

    /// <summary>How often it was sent, and how often it arrived, which no replica is told.</summary>
    internal (int Sent, int Arrived) Times { get; set; }
}
