/* The text of reports on launches in progress. */
#include "sim_places.h"

#include "sim_queue.h"

void sim_places_add(struct sim_places *places, const struct sim_place *place)
{
    unsigned at = 0;
    while (at < places->count && places->items[at].key != place->key)
        at++;
    if (at == SIM_PLACES_MAX) {
        places->elsewhere += place->threads;
        return;
    }
    struct sim_place *item = &places->items[at];
    if (at == places->count) {
        places->count++;
        *item = *place;
        item->blocks = 1;
    } else {
        item->threads += place->threads;
        item->blocks += places->last[at] != place->block->number;
    }
    places->last[at] = place->block->number;
}

void sim_places_of_block(const struct sim_block *block, struct sim_places *places)
{
    for (unsigned wave = 0; wave < block->wave_count; wave++)
        if (block->waves[wave] != SIM_WAVE_ENDED)
            block->launch->engine->find_threads(block, wave, places);
}

static void add_place(const struct sim_place *place, struct sim_report *text)
{
    const uint32_t *index = place->block->index;
    unsigned long long threads = place->threads, blocks = place->blocks;
    sim_report_add(text, "\n    %llu thread%s of ", threads, threads == 1 ? "" : "s");
    if (blocks > 1)
        sim_report_add(text, "%llu blocks, such as ", blocks);
    sim_report_add(text, "block (%u,%u,%u): ", index[0], index[1], index[2]);
    place->block->launch->engine->describe(place, text);
}

static void add_places(const struct sim_launch *launch, const struct sim_block *held,
                       struct sim_report *text)
{
    struct sim_places places = {.count = 0};
    for (const struct sim_block *block = held; block; block = block->next)
        if (block->launch == launch)
            sim_places_of_block(block, &places);
    for (const struct sim_block *block = launch->parked; block; block = block->next)
        sim_places_of_block(block, &places);
    for (unsigned i = 0; i < places.count; i++)
        add_place(&places.items[i], text);
    if (places.elsewhere)
        sim_report_add(text, "\n    %llu threads elsewhere", (unsigned long long)places.elsewhere);
}

void sim_places_report(const struct sim_launch *launch, const struct sim_block *held, uint64_t now,
                       struct sim_report *text)
{
    uint64_t ended = sim_queue_ended(launch);
    if (launch->engine->introduce)
        launch->engine->introduce(launch, text);
    sim_report_add(text,
                   " has run for %.1f s; blocks: %llu ended, %llu in progress, %llu not begun",
                   (double)(now - launch->since) / 1e9, (unsigned long long)ended,
                   (unsigned long long)launch->resident,
                   (unsigned long long)(launch->block_count - ended - launch->resident));
    if (launch->engine->find_threads)
        add_places(launch, held, text);
}
