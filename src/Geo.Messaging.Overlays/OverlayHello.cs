namespace Geo.Messaging.Overlays;

/// <summary>What the two ends of a link tell each other before anything else.</summary>
/// <param name="Member">Who this end is.</param>
/// <param name="Overlay">The overlay it runs.</param>
/// <param name="Relays">Whether it passes messages on.</param>
/// <param name="AsksBack">Whether it wants to be told the same.</param>
internal sealed record OverlayHello(OverlayMember Member, string Overlay, bool Relays, bool AsksBack)
{
    public void WriteTo(PayloadWriter writer)
    {
        Member.WriteTo(writer);
        writer.WriteText(Overlay);
        writer.WriteByte((byte)((Relays ? 1 : 0) | (AsksBack ? 2 : 0)));
    }

    public static OverlayHello ReadFrom(ref PayloadReader reader)
    {
        var member = OverlayMember.ReadFrom(ref reader);
        var overlay = reader.ReadRequiredText();
        var flags = reader.ReadByte();
        return new OverlayHello(member, overlay, (flags & 1) != 0, (flags & 2) != 0);
    }
}
