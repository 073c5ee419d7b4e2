namespace Geo.Messaging.Overlays;

/// <summary>Something that a membership strategy is told.</summary>
/// <param name="Now">When: the time since the overlay was started; never goes back.</param>
public abstract record OverlayEvent(TimeSpan Now)
{
    /// <summary>The application wants to join the overlay that a contact belongs to. May be asked again, for further contacts.</summary>
    /// <param name="Now">When.</param>
    /// <param name="Contact">Where some member listens.</param>
    public sealed record JoinAsked(TimeSpan Now, PeerAddress Contact) : OverlayEvent(Now);

    /// <summary>The application wants a peer out of the overlay: this one or another.</summary>
    /// <param name="Now">When.</param>
    /// <param name="Peer">Who is to leave.</param>
    public sealed record LeaveAsked(TimeSpan Now, PeerId Peer) : OverlayEvent(Now);

    /// <summary>A link came up, whichever side dialled it. There is at most one with a peer.</summary>
    /// <param name="Now">When.</param>
    /// <param name="Member">Who is at the other end.</param>
    public sealed record LinkUp(TimeSpan Now, OverlayMember Member) : OverlayEvent(Now);

    /// <summary>A link broke, or the other end closed it. A dialled address goes on being dialled until the strategy cancels it.</summary>
    /// <param name="Now">When.</param>
    /// <param name="Member">Who was at the other end.</param>
    public sealed record LinkDown(TimeSpan Now, OverlayMember Member) : OverlayEvent(Now);

    /// <summary>The strategy of a linked peer sent something.</summary>
    /// <param name="Now">When.</param>
    /// <param name="From">Who sent it.</param>
    /// <param name="Payload">What it sent.</param>
    public sealed record Received(TimeSpan Now, OverlayMember From, ReadOnlyMemory<byte> Payload) : OverlayEvent(Now);

    /// <summary>Time has passed: once each <see cref="OverlayOptions.TickInterval"/>.</summary>
    /// <param name="Now">The time it is.</param>
    public sealed record Tick(TimeSpan Now) : OverlayEvent(Now);
}
