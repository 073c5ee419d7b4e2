namespace TpcwMini.Options;

/// <summary>What hosts the grains.</summary>
internal enum HostKind
{
    /// <summary>Geo.Embedded: a cluster is one process.</summary>
    Embedded,

    /// <summary>Microsoft Orleans with Geo.Orleans: a cluster is several silos, a process each.</summary>
    Orleans,
}

/// <summary>Which API the item grains use.</summary>
internal enum ItemApi
{
    /// <summary>An ordinary grain that writes its state itself, one operation at a time.</summary>
    Basic,

    /// <summary>A journaled grain: events, confirmed and tentative state.</summary>
    Versioned,
}

/// <summary>Where the items' state lives.</summary>
internal enum ItemDurability
{
    /// <summary>In the storage account.</summary>
    Persistent,

    /// <summary>In the clusters' memory.</summary>
    Volatile,
}

/// <summary>How many instances an item has.</summary>
internal enum ItemInstancing
{
    /// <summary>One across all clusters.</summary>
    Single,

    /// <summary>One in each cluster.</summary>
    Multi,
}

/// <summary>What reads and updates of items see.</summary>
internal enum ReadPolicy
{
    /// <summary>Linearizable reads and updates everywhere.</summary>
    Lin,

    /// <summary>Local operations everywhere except in confirm, the only step that could oversell.</summary>
    Mixed,
}

/// <summary>What limits the storage account in the rows of a matrix.</summary>
internal enum AccountSetting
{
    /// <summary>Rows of either kind.</summary>
    Both,

    /// <summary>So many operations a second.</summary>
    Throttled,

    /// <summary>Its latency alone.</summary>
    Latency,
}
