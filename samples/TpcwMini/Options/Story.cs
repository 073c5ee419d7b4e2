namespace TpcwMini.Options;

/// <summary>
/// The run without any option: a moderate load, of which two processors serve every call in milliseconds, and one region that dies in the
/// middle and comes back. Every region has an instance of each item; what may wait is local, and only the confirmation of an order is
/// decided in storage.
/// </summary>
internal static class Story
{
    public const int Robots = 300;
    public const int Seconds = 22;
    public const int Warmup = 4;
    public const int Stock = 2000;

    public static Variant Variant { get; } = new(ItemApi.Versioned, ItemDurability.Persistent, ItemInstancing.Multi, ReadPolicy.Mixed);

    public static KillPlan Kill { get; } = new("eu", 6, Back: 11);
}
