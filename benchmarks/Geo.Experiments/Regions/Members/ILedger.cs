namespace Geo.Experiments.Regions;

/// <summary>A grain that keeps every entry that it has confirmed, and says under which epoch it serves.</summary>
public interface ILedger : IGrainWithStringKey
{
    /// <summary>Adds an entry; answers when a majority has it, with a <see cref="Served"/>.</summary>
    Task<long[]> Add(long id);

    /// <summary>Asks no store; answers with a <see cref="Served"/>.</summary>
    Task<long[]> Look();

    /// <summary>All entries, as the store has them now.</summary>
    Task<long[]> Entries();
}
