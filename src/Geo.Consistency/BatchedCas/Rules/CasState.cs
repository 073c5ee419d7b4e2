namespace Geo.Consistency;

/// <summary>What an instance knows about the stored version: all that the rules of batching compare-and-swap decide by.</summary>
internal sealed record CasState
{
    internal static readonly CasState Initial = new();

    /// <summary>True once the stored version was seen.</summary>
    internal bool IsLoaded { get; init; }

    /// <summary>What the next write expects to replace; null for a row that does not exist.</summary>
    internal ETag? ETag { get; init; }

    /// <summary>The version stored under <see cref="ETag"/>.</summary>
    internal long Version { get; init; }

    /// <summary>The last number of each instance that this version holds.</summary>
    internal AppliedTable Applied { get; init; }

    /// <summary>Who wrote it.</summary>
    internal CasWriter Writer { get; init; }

    /// <summary>
    /// Own updates up to this number were in a write that expected <see cref="ETag"/> and was not seen to be applied: it may have been, or
    /// may still be. 0 when there was none: once the row has another etag none can any more.
    /// </summary>
    internal long WrittenThrough { get; init; }

    /// <summary>Own updates up to this number were handed in to another instance, which may write them at any time.</summary>
    internal long HandedThrough { get; init; }

    /// <summary>True when storage may hold another version than this one.</summary>
    internal bool MustRead { get; init; }

    /// <summary>True when trying again at once is of no use.</summary>
    internal bool IsFaulted { get; init; }

    /// <summary>Operations of unknown outcome in a row.</summary>
    internal int Failures { get; init; }

    /// <summary>Conflicts in a row.</summary>
    internal int Conflicts { get; init; }

    /// <summary>Own updates up to this number may be in the store, or may come to be, without this instance's knowledge.</summary>
    internal long DoubtThrough => Math.Max(WrittenThrough, HandedThrough);

    internal CasRow Row => new(ETag, Version, Applied, Writer);
}
