using TpcwMini.Options;

namespace TpcwMini.Report;

/// <summary>
/// What GEO's section 4.4.2 says of Figure 11 in its text, in thousands of steps a second. The other bars of the figure are not
/// given as numbers and stay out, rather than being guessed from a picture.
/// </summary>
internal static class PaperFigures
{
    private const double BasicPersistent = 4.1;
    private const double VersionedPersistentSingleLin = 29;

    /// <summary>Steps a second, from and to; null where the text gives no number.</summary>
    public static (double From, double To)? StepsPerSecond(Variant variant) => variant switch
    {
        { Api: ItemApi.Basic, State: ItemDurability.Persistent } => (BasicPersistent * 1000, BasicPersistent * 1000),
        { State: ItemDurability.Persistent, Instancing: ItemInstancing.Single, Reads: ReadPolicy.Lin } =>
            (VersionedPersistentSingleLin * 1000, VersionedPersistentSingleLin * 1000),
        { State: ItemDurability.Persistent, Instancing: ItemInstancing.Single, Reads: ReadPolicy.Mixed } =>
            (VersionedPersistentSingleLin * 1240, VersionedPersistentSingleLin * 1300),
        _ => null,
    };

    /// <summary>What the text says in words.</summary>
    public static string Remark(Variant variant) => variant switch
    {
        { Api: ItemApi.Basic, State: ItemDurability.Persistent } => "4.1k",
        { Api: ItemApi.Basic } => "",
        { Instancing: ItemInstancing.Multi } => "below single",
        { State: ItemDurability.Persistent, Reads: ReadPolicy.Lin } => "29k (7x)",
        { Reads: ReadPolicy.Mixed } => "+24-30 %",
        _ => "",
    };
}
