namespace Geo.Messaging;

/// <summary>Checks a node's options before it touches the network.</summary>
internal static class MessagingOptionsCheck
{
    /// <exception cref="GeoConfigurationException">
    /// An option is out of range or contradicts another; the message names all that are.
    /// </exception>
    public static void Check(MessagingOptions options)
    {
        List<ChannelOptions> channels =
            [.. new[] { options.DefaultChannel }.Concat(options.Channels ?? []).Where(channel => channel is not null)];
        List<string> broken = [];
        Require(
            channels.Select(channel => channel.Name).Distinct(StringComparer.Ordinal).Count() == channels.Count,
            "two channels have one name");
        Require(
            channels.All(channel => channel.Monotonic || channel is { MonotonicWindow.Ticks: 0, Overflow: not OverflowPolicy.DropOldest }),
            "MonotonicWindow and OverflowPolicy.DropOldest are for monotonic channels");
        Require(
            channels.Sum(channel => channel.Parallelism) <= LanePlan.MaxLanes,
            $"the channels have more than {LanePlan.MaxLanes} lanes together");
        Require(!options.Peer.IsNone, "Peer must be given");
        Require(options.DeadLinkAfter >= 2 * options.HeartbeatInterval, "DeadLinkAfter must be at least twice HeartbeatInterval");
        Require(options.MaxInFlightBytes >= options.MinInFlightBytes, "MaxInFlightBytes must not be less than MinInFlightBytes");
        Require(options.MaxLargeBytes >= 2L * options.MaxMessageBytes, "MaxLargeBytes must be at least twice MaxMessageBytes");
        Require(
            options.MaxReplyBytes >= 2L * (options.MaxMessageBytes + FrameHeader.Size),
            $"MaxReplyBytes must be at least twice MaxMessageBytes and {2 * FrameHeader.Size} bytes");
        Require(options.MaxReconnectDelay >= options.ReconnectDelay, "MaxReconnectDelay must not be less than ReconnectDelay");
        Require(
            options.Facts is not { Own.Length: > IPeerFacts.MaxBytes },
            $"Facts are {options.Facts?.Own.Length} bytes, more than {IPeerFacts.MaxBytes}");
        OptionsCheck.Check($"The messaging options of peer '{options.Peer}'", [options, .. channels, options.Tls], broken);
        if (options.ListenOn is { } address)
        {
            CheckProtected(options, address, "listen on");
        }

        void Require(bool holds, string message)
        {
            if (!holds)
            {
                broken.Add(message);
            }
        }
    }

    /// <exception cref="GeoConfigurationException">The address is beyond this machine and the link would be unprotected.</exception>
    public static void CheckProtected(MessagingOptions options, PeerAddress address, string what)
    {
        if (!address.IsLoopback && options.Tls is null && !options.AllowInsecure)
        {
            throw new GeoConfigurationException(
                $"Peer '{options.Peer}' is to {what} {address}, beyond this machine, without encryption. Set Tls, use a"
                + " loopback address, or set AllowInsecure where the network is private to the application.");
        }
    }
}
