namespace Geo.Orleans;

/// <summary>The end of a call that was carried to another cluster, on its way back.</summary>
/// <param name="Outcome">How it ended.</param>
/// <param name="Response">The serialized response, where <see cref="CarriedOutcome.Answered"/>.</param>
/// <param name="Reason">Why there is none, for people.</param>
[GenerateSerializer]
[Immutable]
[Alias("geo.carried-reply")]
internal sealed record CarriedReply(
    [property: Id(0)] CarriedOutcome Outcome, [property: Id(1)] ReadOnlyMemory<byte> Response, [property: Id(2)] string? Reason)
{
    public static CarriedReply Answered(ReadOnlyMemory<byte> response) => new(CarriedOutcome.Answered, response, null);

    public static CarriedReply NotHere { get; } = new(CarriedOutcome.NotHere, default, null);

    public static CarriedReply Unknown(string reason) => new(CarriedOutcome.Unknown, default, reason);

    public static CarriedReply Refused(string reason) => new(CarriedOutcome.Refused, default, reason);

    public byte[] Encode()
    {
        var writer = new PayloadWriter();
        writer.WriteByte((byte)Outcome);
        writer.WriteText(Reason);
        writer.WriteBytes(Response.Span);
        return writer.ToArray();
    }

    /// <summary>What the messenger's reply says; an undecodable one is unknown, for the call may have run.</summary>
    public static CarriedReply Of(ClusterReply reply)
    {
        if (reply.Outcome != ReplyOutcome.Replied)
        {
            return new(reply.Outcome == ReplyOutcome.Refused ? CarriedOutcome.Refused : CarriedOutcome.Unknown, default, reply.Reason);
        }

        try
        {
            var reader = new PayloadReader(reply.Payload.Span);
            var outcome = (CarriedOutcome)reader.ReadByte();
            var reason = reader.ReadText();
            return new(outcome, reader.ReadBytes().ToArray(), reason);
        }
        catch (GeoSerializationException e)
        {
            return Unknown(e.Message);
        }
    }
}
