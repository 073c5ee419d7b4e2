namespace Geo.Messaging.Overlays;

/// <summary>A member of an overlay, as it presents itself to the others.</summary>
/// <param name="Peer">Its name.</param>
/// <param name="Address">Where it listens; null when it only dials.</param>
/// <param name="Incarnation">
/// Which start, and which joining, of the peer this is: a later one has a higher number and replaces an earlier one.
/// </param>
/// <param name="Tag">What the overlay is told of it, such as <c>server</c>; null for nothing.</param>
public sealed record OverlayMember(PeerId Peer, PeerAddress? Address, long Incarnation, string? Tag = null)
{
    /// <summary>Writes the member, to be read by <see cref="ReadFrom"/>.</summary>
    public void WriteTo(PayloadWriter writer)
    {
        ArgumentNullException.ThrowIfNull(writer);
        writer.WriteText(Peer.Name);
        writer.WriteText(Address?.ToString());
        writer.WriteSigned(Incarnation);
        writer.WriteText(Tag);
    }

    /// <summary>Reads what <see cref="WriteTo"/> wrote.</summary>
    /// <exception cref="GeoSerializationException">The bytes are not a member.</exception>
    public static OverlayMember ReadFrom(ref PayloadReader reader) =>
        new(ReadPeer(ref reader), ReadAddress(ref reader), reader.ReadSigned(), reader.ReadText());

    /// <summary>Writes several members behind their number.</summary>
    public static void WriteAll(PayloadWriter writer, IReadOnlyCollection<OverlayMember> members)
    {
        ArgumentNullException.ThrowIfNull(writer);
        ArgumentNullException.ThrowIfNull(members);
        writer.WriteUnsigned((ulong)members.Count);
        foreach (var member in members)
        {
            member.WriteTo(writer);
        }
    }

    /// <summary>Reads what <see cref="WriteAll"/> wrote.</summary>
    /// <exception cref="GeoSerializationException">The bytes are not members.</exception>
    public static IReadOnlyList<OverlayMember> ReadAll(ref PayloadReader reader)
    {
        var members = new List<OverlayMember>();
        for (var left = reader.ReadCount(); left > 0; left--)
        {
            members.Add(ReadFrom(ref reader));
        }

        return members;
    }

    /// <summary>Reads the name of a peer.</summary>
    /// <exception cref="GeoSerializationException">The bytes are not the name of a peer.</exception>
    public static PeerId ReadPeer(ref PayloadReader reader)
    {
        try
        {
            return new PeerId(reader.ReadRequiredText());
        }
        catch (ArgumentException e)
        {
            throw new GeoSerializationException($"An overlay message names no peer: {e.Message}", e);
        }
    }

    /// <inheritdoc/>
    public override string ToString() => Address is null ? $"{Peer}" : $"{Peer} at {Address}";

    private static PeerAddress? ReadAddress(ref PayloadReader reader)
    {
        try
        {
            return reader.ReadText() is { } text ? PeerAddress.Parse(text) : null;
        }
        catch (FormatException e)
        {
            throw new GeoSerializationException($"An overlay message holds no address: {e.Message}", e);
        }
    }
}
