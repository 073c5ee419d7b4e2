namespace TpcwMini.Options;

/// <summary>One way to run the same application: a bar of the paper's Figure 11.</summary>
internal sealed record Variant(ItemApi Api, ItemDurability State, ItemInstancing Instancing, ReadPolicy Reads)
{
    /// <summary>Every variant that makes sense, in the order of the report; the first is what the others are compared with.</summary>
    public static IReadOnlyList<Variant> Sensible { get; } =
    [
        .. from state in (ItemDurability[])[ItemDurability.Persistent, ItemDurability.Volatile]
           from api in Enum.GetValues<ItemApi>()
           from instancing in Enum.GetValues<ItemInstancing>()
           from reads in Enum.GetValues<ReadPolicy>()
           let variant = new Variant(api, state, instancing, reads)
           where variant.WhyNot() is null
           select variant,
    ];

    /// <summary>Why the combination makes no sense; null when it does.</summary>
    public string? WhyNot() => this switch
    {
        { Api: ItemApi.Basic, Instancing: ItemInstancing.Multi } =>
            "--api basic cannot have --instancing multi: nothing would keep its instances consistent. "
            + "Use --instancing single or --api versioned.",
        { Api: ItemApi.Basic, Reads: ReadPolicy.Mixed } =>
            "--api basic cannot have --reads mixed: it has no local operations to mix in. Use --reads lin or --api versioned.",
        _ => null,
    };

    /// <inheritdoc/>
    public override string ToString() => Api == ItemApi.Basic
        ? $"basic {Word(State)} {Word(Instancing)}"
        : $"versioned {Word(State)} {Word(Instancing)} {Word(Reads)}";

    /// <summary>A choice as it is written on the command line.</summary>
    public static string Word<T>(T choice) where T : struct, Enum => choice.ToString().ToLowerInvariant();
}
