namespace Geo.Orleans;

/// <summary>What a grain storage keeps under a key of a <see cref="GrainStorageConditionalStore"/>.</summary>
[GenerateSerializer]
internal sealed class StoredValue
{
    /// <summary>The key, by which a storage that takes two keys for one is found out.</summary>
    [Id(0)]
    public string Key { get; set; } = "";

    /// <summary>The value.</summary>
    [Id(1)]
    public byte[] Value { get; set; } = [];

    /// <summary>The stamp of this write, and those of the writes before it, the latest first.</summary>
    [Id(2)]
    public Guid[] Stamps { get; set; } = [];

    /// <summary>The key was deleted.</summary>
    [Id(3)]
    public bool IsDeleted { get; set; }
}
