namespace Geo.Storage.AzureTables;

/// <summary>A shared access signature: the query of an address, with or without its question mark.</summary>
internal static class Signature
{
    public static string Query(string signature) => signature.Trim().TrimStart('?');

    /// <summary>The names of its parameters.</summary>
    public static IEnumerable<string> Parameters(string signature) =>
        Query(signature).Split('&').Select(parameter => parameter.Split('=', 2)).Where(pair => pair is [_, { Length: > 0 }])
            .Select(pair => pair[0]);
}
