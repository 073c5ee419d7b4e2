namespace Geo.Consistency;

/// <summary>Updates that were enqueued together and stay together, perhaps on a condition.</summary>
internal sealed class UpdateGroup(bool isConditional)
{
    /// <summary>The decision on the condition; null for an unconditional group.</summary>
    internal TaskCompletionSource<bool>? Decision { get; } =
        isConditional ? new(TaskCreationOptions.RunContinuationsAsynchronously) : null;

    /// <summary>How many updates it is.</summary>
    internal required int Count { get; init; }

    /// <summary>The version that must be the latest when the group is applied, as the view saw it when it enqueued the group.</summary>
    internal required long ExpectedVersion { get; init; }

    /// <summary>The leader's term in which <see cref="ExpectedVersion"/> counts; 0 where there are no terms.</summary>
    internal required long ExpectedTerm { get; init; }
}
