namespace Geo.Messaging;

/// <summary>The lane that a channel of pieces belongs to, as the channel sees it.</summary>
internal interface IPieceSink
{
    /// <summary>Says something of the link itself.</summary>
    void Tell(FrameKind kind, ulong number);

    /// <summary>
    /// A message, a large one that is complete or a small one that was held back for one, has its turn; to be released once it has been
    /// handled.
    /// </summary>
    void HandOver(HeldMessage message);

    /// <summary>A message is not taken, for want of memory.</summary>
    void Refuse(FrameHeader header, string reason);

    /// <summary>There may be a piece for the lane's own writer.</summary>
    void WakeWriter();

    /// <summary>Ends the lane, and the link with it.</summary>
    void End(string reason);

    /// <summary>Ends the lane because the remote broke the protocol, and tells it so.</summary>
    void BreakOff(string fault);
}
