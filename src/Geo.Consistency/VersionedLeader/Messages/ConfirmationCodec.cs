namespace Geo.Consistency;

/// <summary>When updates are confirmed, as a byte; another one where that is not known.</summary>
internal static class ConfirmationCodec
{
    private const byte Unknown = byte.MaxValue;

    internal static byte Encode(UpdateConfirmation? confirmation) => (byte?)confirmation ?? Unknown;

    /// <exception cref="GeoSerializationException">No such rule is known.</exception>
    internal static UpdateConfirmation? Decode(byte confirmation) =>
        confirmation == Unknown ? null
        : confirmation <= (byte)UpdateConfirmation.Leader ? (UpdateConfirmation)confirmation
        : throw TermCodec.Damaged("confirms in an unknown way");
}
