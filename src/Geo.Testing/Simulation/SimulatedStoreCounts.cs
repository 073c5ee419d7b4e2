namespace Geo.Testing;

/// <summary>What a <see cref="SimulatedStore"/> has answered.</summary>
public sealed class SimulatedStoreCounts
{
    /// <summary>Operations asked for.</summary>
    public long Operations { get; internal set; }

    /// <summary>Writes and deletes refused because the version was another one.</summary>
    public long Conflicts { get; internal set; }

    /// <summary>Operations reported as unknown that had no effect.</summary>
    public long UnknownWithoutEffect { get; internal set; }

    /// <summary>Operations reported as unknown that had reached the store.</summary>
    public long UnknownWithEffect { get; internal set; }

    /// <summary>Writes and deletes that reached the store after they had been reported as unknown.</summary>
    public long UnknownLate { get; internal set; }
}
