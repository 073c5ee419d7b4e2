using System.Globalization;

namespace Geo.Storage.Sqlite;

/// <summary>Etags of the store: the versions in decimal.</summary>
internal static class Versions
{
    public static ETag ToETag(long version) => new(version.ToString(CultureInfo.InvariantCulture));

    /// <summary>The version of an etag; false for one that this store never gave.</summary>
    public static bool TryParse(ETag etag, out long version) =>
        long.TryParse(etag.Value, NumberStyles.None, CultureInfo.InvariantCulture, out version) && ToETag(version) == etag;
}
