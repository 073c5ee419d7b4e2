namespace Geo.Storage.AzureTables.Tests.Azurite;

public sealed class AzuriteStoreTests(AzuriteServer azurite)
{
    private static CancellationToken Stop => TestContext.Current.CancellationToken;

    [Fact]
    public async Task The_largest_value_is_kept_and_one_byte_more_is_refused()
    {
        using var store = await AzureTableConditionalStore.OpenAsync(await azurite.OptionsAsync(), Stop);
        var value = new byte[EntityJson.MaxValueBytes];
        new Random(3).NextBytes(value);

        var write = await store.WriteAsync("k", value, null, Stop);
        var read = await store.ReadAsync("k", Stop);
        var refused = await Assert.ThrowsAsync<GeoStorageException>(
            async () => await store.WriteAsync("k", new byte[value.Length + 1], write.ETag, Stop));

        Assert.Equal(StoreWriteOutcome.Applied, write.Outcome);
        Assert.Equal(value, read.Value);
        Assert.Contains("1040385 bytes", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_shared_access_signature_opens_the_table_for_all_operations()
    {
        using var store = await AzureTableConditionalStore.OpenAsync(await azurite.SignedOptionsAsync("rwdlacu"), Stop);

        var written = await store.WriteAsync("k", new byte[1], null, Stop);
        var updated = await store.WriteAsync("k", new byte[2], written.ETag, Stop);
        var listed = await store.ListAsync("", Stop).ToListAsync(Stop);
        var deleted = await store.DeleteAsync("k", updated.ETag!.Value, Stop);

        Assert.Equal(2, Assert.Single(listed).Value.Length);
        Assert.Equal(StoreWriteOutcome.Applied, deleted.Outcome);
        Assert.Equal(StoreReadOutcome.NotFound, (await store.ReadAsync("k", Stop)).Outcome);
    }

    [Fact]
    public async Task A_signature_that_allows_too_little_leaves_writes_unknown()
    {
        var options = await azurite.SignedOptionsAsync("rwdlacu");
        using var all = await AzureTableConditionalStore.OpenAsync(options, Stop);
        var readOnly = await azurite.SignedOptionsAsync("rl");
        using var store = new AzureTableConditionalStore(readOnly with { Table = options.Table, CreateTable = false });

        var write = await store.WriteAsync("k", new byte[1], null, Stop);

        Assert.Equal(StoreWriteOutcome.Unknown, write.Outcome);
        Assert.Contains("403", write.Reason, StringComparison.Ordinal);
        Assert.Equal(StoreReadOutcome.NotFound, (await all.ReadAsync("k", Stop)).Outcome);
    }

    [Fact]
    public async Task Long_keys_are_listed_in_order_among_shorter_ones_over_many_pages()
    {
        using var store = await AzureTableConditionalStore.OpenAsync(await azurite.OptionsAsync() with { PageEntries = 3 }, Stop);
        string[] stems =
        [
            new('a', 20), new('a', 512), new('a', 900), new('a', 957), new('a', 958), new('a', 959), new string('a', 958) + "/",
            new('中', 300),
        ];
        var keys = stems.SelectMany(stem => new[] { stem, stem + "!", stem + "0", stem + "~", stem + "é" }).Distinct().ToArray();
        new Random(5).Shuffle(keys);
        foreach (var key in keys)
        {
            Assert.Equal(StoreWriteOutcome.Applied, (await store.WriteAsync(key, new byte[] { 1 }, null, Stop)).Outcome);
        }

        foreach (var prefix in stems.Append("").Append("a").Append(new string('a', 959) + "0"))
        {
            var listed = new List<string>();
            await foreach (var entry in store.ListAsync(prefix, Stop))
            {
                listed.Add(entry.Key);
            }

            Assert.Equal(keys.Where(key => key.StartsWith(prefix, StringComparison.Ordinal)).Order(StringComparer.Ordinal), listed);
        }
    }

    [Fact]
    public async Task A_list_that_would_hold_back_more_long_keys_than_the_limit_says_so()
    {
        using var store = await AzureTableConditionalStore.OpenAsync(await azurite.OptionsAsync() with { MaxLongKeysInOrder = 2 }, Stop);
        for (var i = 0; i < 3; i++)
        {
            await store.WriteAsync(new string('a', 1000) + i, default, null, Stop);
        }

        var refused = await Assert.ThrowsAsync<GeoStorageException>(async () => await store.ListAsync("", Stop).CountAsync(Stop));

        Assert.Contains("MaxLongKeysInOrder", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_wrong_key_is_a_clear_error_when_the_store_is_opened_and_unknown_later()
    {
        var options = await azurite.OptionsAsync();
        options = options with { SharedKey = new AzureTableSharedKey(options.SharedKey!.Account, Convert.ToBase64String(new byte[64])) };

        var refused = await Assert.ThrowsAsync<GeoConfigurationException>(() => AzureTableConditionalStore.OpenAsync(options, Stop));
        using var unopened = new AzureTableConditionalStore(options);
        var write = await unopened.WriteAsync("k", default, null, Stop);

        Assert.Contains("403", refused.Message, StringComparison.Ordinal);
        Assert.Equal(StoreWriteOutcome.Unknown, write.Outcome);
        Assert.Contains("403", write.Reason, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_missing_table_that_is_not_to_be_created_is_an_error_and_never_an_absent_key()
    {
        var options = await azurite.OptionsAsync() with { CreateTable = false };

        await Assert.ThrowsAsync<GeoConfigurationException>(() => AzureTableConditionalStore.OpenAsync(options, Stop));
        using var unopened = new AzureTableConditionalStore(options);

        Assert.Equal(StoreReadOutcome.Unknown, (await unopened.ReadAsync("k", Stop)).Outcome);
        using var created = await AzureTableConditionalStore.OpenAsync(options with { CreateTable = true }, Stop);
        Assert.Equal(StoreReadOutcome.NotFound, (await unopened.ReadAsync("k", Stop)).Outcome);
    }
}
