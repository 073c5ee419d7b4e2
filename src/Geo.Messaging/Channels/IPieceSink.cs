namespace Geo.Messaging;

/// <summary>The lane that a channel of pieces belongs to, as the channel sees it.</summary>
internal interface IPieceSink
{
    void Tell(FrameKind kind, ulong number);

    /// <summary>
    /// A message, a large one that is complete or a small one that was held back for one, has its turn; to be released once it has been
    /// handled.
    /// </summary>
    void HandOver(HeldMessage message);

    /// <summary>A message is not taken, for want of memory.</summary>
    void Refuse(FrameHeader header, string reason);

    void WakeWriter();

    void End(string reason);

    /// <summary>Ends the lane because the remote broke the protocol, and tells it so.</summary>
    void BreakOff(string fault);
}
