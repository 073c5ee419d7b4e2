namespace Geo.Consistency;

/// <summary>Updates that were enqueued together and stay together, perhaps on a condition.</summary>
/// <param name="count">How many updates it is.</param>
/// <param name="decision">The decision on the condition; null for an unconditional group.</param>
internal sealed class UpdateGroup(int count, Completion<bool>? decision)
{
    /// <summary>How many updates it is.</summary>
    internal int Count => count;

    /// <summary>The decision on the condition; null for an unconditional group.</summary>
    internal Completion<bool>? Decision => decision;

    /// <summary>The version that must be the latest when the group is applied, as the view saw it when it enqueued the group.</summary>
    internal required long ExpectedVersion { get; init; }

    /// <summary>The last version shown that the group still fits, in its history; no use where there is one only.</summary>
    internal required VersionBase Base { get; set; }
}
