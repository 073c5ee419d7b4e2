namespace Geo.Storage.Sqlite;

/// <summary>What an applied write survives.</summary>
public enum SqliteDurability
{
    /// <summary>Power loss and a crash of the machine: the log is flushed to the disk before a write is answered.</summary>
    Full,

    /// <summary>
    /// A crash of the process. Power loss may take the newest applied writes back, never part of one and never the file's integrity;
    /// several times as fast on disks that flush slowly.
    /// </summary>
    Normal,
}
