namespace Geo.Messaging.Overlays;

/// <summary>Names a broadcast: the messages of one incarnation of an origin are numbered from 1.</summary>
internal readonly record struct BroadcastId(PeerId Origin, long Incarnation, ulong Sequence)
{
    public void WriteTo(PayloadWriter writer)
    {
        writer.WriteText(Origin.Name);
        writer.WriteSigned(Incarnation);
        writer.WriteUnsigned(Sequence);
    }

    public static BroadcastId ReadFrom(ref PayloadReader reader) =>
        new(OverlayMember.ReadPeer(ref reader), reader.ReadSigned(), reader.ReadUnsigned());
}
