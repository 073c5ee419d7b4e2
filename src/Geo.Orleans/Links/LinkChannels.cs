using Geo.Consistency;
using Geo.Messaging;

namespace Geo.Orleans;

/// <summary>
/// The channels between clusters. Each has connections of its own, so that rounds and notices never wait behind the arguments of carried
/// calls, and of what instances of journaled grains tell each other the newest replaces what still waits.
/// </summary>
internal static class LinkChannels
{
    /// <summary>The directory's rounds and notices.</summary>
    public const string Control = "geo.control";

    public static IReadOnlyList<ChannelOptions> All { get; } =
    [
        new() { Name = Control, Parallelism = 1, Priority = 1 },
        new() { Name = CallReceiver.Channel },
        new() { Name = ReplicaExchange.NotificationChannel, Parallelism = 1, Monotonic = true },
    ];
}
