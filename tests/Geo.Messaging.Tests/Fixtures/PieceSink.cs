namespace Geo.Messaging.Tests;

/// <summary>The lane of a channel of pieces, as a test plays it: notes what it is told.</summary>
internal sealed class PieceSink(Action<FrameHeader, byte[], ReadOnlyMemory<byte>>? handle = null) : IPieceSink
{
    /// <summary>Handles what is handed over when the test says so, not at once.</summary>
    public bool Keeps { get; set; }

    public List<HeldMessage> Kept { get; } = [];

    public List<(FrameKind Kind, ulong Number)> Told { get; } = [];

    public List<FrameHeader> Refused { get; } = [];

    public int Handled { get; private set; }

    public void Tell(FrameKind kind, ulong number) => Told.Add((kind, number));

    public void HandOver(HeldMessage message)
    {
        if (Keeps)
        {
            Kept.Add(message);
            return;
        }

        message.Begin();
        Handled++;
        handle?.Invoke(message.Header, message.Preface, message.Payload);
        message.Release();
    }

    public void Refuse(FrameHeader header, string reason) => Refused.Add(header);

    public void WakeWriter()
    {
    }

    public void End(string reason)
    {
    }

    public void BreakOff(string fault)
    {
    }
}
