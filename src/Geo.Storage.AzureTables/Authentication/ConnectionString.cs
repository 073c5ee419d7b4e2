namespace Geo.Storage.AzureTables;

/// <summary>The connection string of a storage account.</summary>
internal static class ConnectionString
{
    // The emulator's account, the same everywhere and open to all.
    private const string Development =
        "DefaultEndpointsProtocol=http;AccountName=devstoreaccount1;"
        + "AccountKey=Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==;"
        + "TableEndpoint=http://127.0.0.1:10002/devstoreaccount1";

    public static AzureTableStoreOptions Parse(string text, string table)
    {
        ArgumentNullException.ThrowIfNull(text);
        var parts = text.Split(';', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries)
            .Select(part => part.Split('=', 2))
            .ToLookup(pair => pair[0], pair => pair.Length == 2 ? pair[1] : "", StringComparer.OrdinalIgnoreCase);
        if (string.Equals(parts["UseDevelopmentStorage"].FirstOrDefault(), "true", StringComparison.OrdinalIgnoreCase))
        {
            return Parse(Development, table);
        }

        // With a signature the portal names no account.
        if (parts["SharedAccessSignature"].FirstOrDefault() is { Length: > 0 } signature)
        {
            return new AzureTableStoreOptions
            {
                Endpoint = Address(Required("TableEndpoint")),
                Table = table,
                SharedAccessSignature = signature,
            };
        }

        var account = Required("AccountName");
        var endpoint = parts["TableEndpoint"].FirstOrDefault()
            ?? $"{parts["DefaultEndpointsProtocol"].FirstOrDefault() ?? "https"}://{account}.table.{Required("EndpointSuffix")}";
        return new AzureTableStoreOptions
        {
            Endpoint = Address(endpoint),
            Table = table,
            SharedKey = new AzureTableSharedKey(account, Required("AccountKey")),
        };

        static Uri Address(string endpoint) => Uri.TryCreate(endpoint, UriKind.Absolute, out var address)
            ? address
            : throw OptionsCheck.Wrong(AzureTableStoreOptions.What, $"'{endpoint}' in the connection string is not an address");

        // Nothing of the text is repeated: it holds a key.
        string Required(string name) => parts[name].FirstOrDefault() is { Length: > 0 } value
            ? value
            : throw OptionsCheck.Wrong(
                AzureTableStoreOptions.What, $"the connection string has no {name}; copy it again from the account's access keys");
    }
}
