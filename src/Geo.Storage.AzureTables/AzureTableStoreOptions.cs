using System.ComponentModel.DataAnnotations;
using Azure.Core;
using Azure.Core.Pipeline;

namespace Geo.Storage.AzureTables;

/// <summary>
/// Which table an <see cref="AzureTableConditionalStore"/> uses, how it proves itself, and its limits. Checked when the store is made.
/// </summary>
public sealed record AzureTableStoreOptions
{
    internal const string What = "The options of the Azure table store";

    /// <summary>The address of the account's table service, such as <c>https://account.table.core.windows.net</c>.</summary>
    [Required]
    public required Uri Endpoint { get; init; }

    /// <summary>The table, of its own for each store: 3 to 63 letters and digits, beginning with a letter.</summary>
    [Required]
    [RegularExpression("^[A-Za-z][A-Za-z0-9]{2,62}$", ErrorMessage = "Table must be 3 to 63 letters and digits, and begin with a letter.")]
    public required string Table { get; init; }

    /// <summary>
    /// A Microsoft Entra identity with the role "Storage Table Data Contributor"; one of this, <see cref="SharedKey"/> and
    /// <see cref="SharedAccessSignature"/>.
    /// </summary>
    public TokenCredential? Credential { get; init; }

    /// <summary>The account's name and key; prefer another proof: a key opens the whole account.</summary>
    public AzureTableSharedKey? SharedKey { get; init; }

    /// <summary>
    /// A shared access signature, as the portal shows it (<c>sv=…&amp;sig=…</c>), for reading, adding, updating and deleting; with
    /// <see cref="CreateTable"/> one of the account that may create tables. Once it has expired, outcomes are unknown.
    /// </summary>
    public string? SharedAccessSignature { get; init; }

    /// <summary>What a token is asked for; that of the public cloud by default.</summary>
    [Required]
    public string TokenScope { get; init; } = "https://storage.azure.com/.default";

    /// <summary>Creates the table if there is none; true by default. Without it a missing table is an error.</summary>
    public bool CreateTable { get; init; } = true;

    /// <summary>Allows an address without encryption that is not on this machine; false by default.</summary>
    public bool AllowInsecure { get; init; }

    /// <summary>
    /// How long an attempt may take, a wait for a connection included; 10 s by default. A write that takes longer is unknown.
    /// </summary>
    [Range(typeof(TimeSpan), "00:00:00.010", "00:10:00")]
    public TimeSpan Timeout { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>
    /// How often a read is sent again after a failure, and a write after the service has turned it away for its load; 3 by default.
    /// </summary>
    [Range(0, 20)]
    public int MaxRetries { get; init; } = 3;

    /// <summary>
    /// How long to wait before the first repetition where the service does not say; 50 ms by default, doubled each time and jittered.
    /// </summary>
    [Range(typeof(TimeSpan), "00:00:00.001", "00:01:00")]
    public TimeSpan RetryDelay { get; init; } = TimeSpan.FromMilliseconds(50);

    /// <summary>
    /// The longest wait before a repetition; 2 s by default. Where the service asks for more, the outcome is unknown at once.
    /// </summary>
    [Range(typeof(TimeSpan), "00:00:00.001", "00:10:00")]
    public TimeSpan MaxRetryDelay { get; init; } = TimeSpan.FromSeconds(2);

    /// <summary>The largest value accepted, in bytes; 1,016 KiB by default, which is what fits into an entity of 1 MiB.</summary>
    [Range(1, EntityJson.MaxValueBytes)]
    public int MaxValueBytes { get; init; } = EntityJson.MaxValueBytes;

    /// <summary>The most entries asked for at a time when listing; 250 by default.</summary>
    [Range(1, 1000)]
    public int PageEntries { get; init; } = 250;

    /// <summary>
    /// How many listed keys that are too long for the table's own order (<see cref="AzureTableConditionalStore"/>) and alike in their
    /// beginning are put in order in memory; 1,000 by default. A list that meets more ends with a <see cref="GeoStorageException"/>.
    /// </summary>
    [Range(1, 1_000_000)]
    public int MaxLongKeysInOrder { get; init; } = 1000;

    /// <summary>The most operations under way; 10,000 by default. One more is unknown at once, certainly without effect.</summary>
    [Range(1, 10_000_000)]
    public int MaxOutstanding { get; init; } = 10_000;

    /// <summary>The most connections to the service; 64 by default. Not used with a <see cref="Transport"/> of your own.</summary>
    [Range(1, 10_000)]
    public int MaxConnections { get; init; } = 64;

    /// <summary>What carries the requests; one of its own by default. It must not send a request again by itself.</summary>
    public HttpPipelineTransport? Transport { get; init; }

    /// <summary>Options from the connection string of an account, as the portal shows it.</summary>
    /// <param name="connectionString">
    /// <c>AccountName=…;AccountKey=…</c> with <c>TableEndpoint=…</c> or <c>EndpointSuffix=…</c>,
    /// <c>SharedAccessSignature=…;TableEndpoint=…</c>, or <c>UseDevelopmentStorage=true</c>.
    /// </param>
    /// <param name="table">The table.</param>
    /// <exception cref="GeoConfigurationException">A part is missing or wrong.</exception>
    public static AzureTableStoreOptions FromConnectionString(string connectionString, string table) =>
        ConnectionString.Parse(connectionString, table);

    /// <summary>The table and its address; never a proof.</summary>
    public override string ToString() => $"Azure table '{Table}' at {Endpoint}";

    /// <exception cref="GeoConfigurationException">An option is out of range, or contradicts another.</exception>
    internal void Validate()
    {
        OptionsCheck.Check(What, [this]);
        if (!Endpoint.IsAbsoluteUri || (Endpoint.Scheme != Uri.UriSchemeHttps && Endpoint.Scheme != Uri.UriSchemeHttp))
        {
            throw Wrong($"Endpoint '{Endpoint}' is not the address of a table service; give https://account.table.core.windows.net.");
        }

        if (Endpoint.Query.Length > 0 || Endpoint.UserInfo.Length > 0)
        {
            throw Wrong("Endpoint must not carry a signature or a password; use Credential, SharedAccessSignature or SharedKey.");
        }

        if (Endpoint.Host.EndsWith(".table.cosmos.azure.com", StringComparison.OrdinalIgnoreCase))
        {
            throw Wrong($"Endpoint '{Endpoint}' is of Azure Cosmos DB, on which this store was never tried; use a storage account.");
        }

        var proofs = ((object?[])[Credential, SharedKey, SharedAccessSignature]).Count(proof => proof is not null);
        if (proofs != 1)
        {
            throw Wrong($"one of Credential, SharedAccessSignature and SharedKey must be set, and {proofs} are.");
        }

        if (SharedAccessSignature is { } signature && !Signature.Parameters(signature).Contains("sig"))
        {
            throw Wrong("SharedAccessSignature has no parameter 'sig'; copy it again, whole.");
        }

        if (Endpoint.Scheme != Uri.UriSchemeHttps && (Credential is not null || !(AllowInsecure || Endpoint.IsLoopback)))
        {
            throw Wrong(Credential is null
                ? $"Endpoint '{Endpoint}' is not encrypted; use https, or set AllowInsecure in a network that is private to the "
                    + "application."
                : $"a token is never sent unencrypted, and Endpoint '{Endpoint}' is; use https.");
        }

        static GeoConfigurationException Wrong(string fault) => OptionsCheck.Wrong(What, fault);
    }
}
